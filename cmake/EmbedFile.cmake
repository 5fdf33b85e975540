# Writes OUTPUT, a C++ file whose function sbx::embedded::NAME() returns the bytes of INPUT.
file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
string(REGEX REPLACE "(('[^']*',){16})" "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "#include \"embedded/${NAME}.h\"
namespace sbx::embedded {
namespace {
const char data[] = {${bytes}'\\0'};
}
std::string_view ${NAME}() { return {data, sizeof data - 1}; }
}
")
