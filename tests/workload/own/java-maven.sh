# id: java-maven
# area: native
# title: maven offline reads a project of modules and its settings, and says what is wrong in another
# needs: maven
# uses: mvn
# timeout: 90
setup() {
    mkdir -p "$PROJECT/part" "$PROJECT/bad"
    head='<project><modelVersion>4.0.0</modelVersion>'
    echo "$head<groupId>g</groupId><artifactId>root</artifactId><version>1</version><packaging>pom</packaging><modules><module>part</module></modules></project>" >"$PROJECT/pom.xml"
    echo "$head<parent><groupId>g</groupId><artifactId>root</artifactId><version>1</version></parent><artifactId>part</artifactId><packaging>pom</packaging></project>" >"$PROJECT/part/pom.xml"
    echo '<project><broken></project>' >"$PROJECT/bad/pom.xml"
}

run() {
    capture good mvn -o -B -Dmaven.repo.local=.m2 validate
    capture bad mvn -o -B -Dmaven.repo.local=.m2 -f bad validate
}

verdict() {
    want_rc good 0
    want_match good 'BUILD SUCCESS'
    want_match good 'part'
    want_rc bad 1
}
