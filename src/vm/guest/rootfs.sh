#!/bin/sh
# Turns a minimal Debian into the guest: what it needs, one user without rights, and nothing that differs
# between two builds. Runs as root inside that Debian: in the Containerfile, and in the test that builds the
# guest without a container engine.
set -eu

export DEBIAN_FRONTEND=noninteractive
apt-get -q update
apt-get -q -y install --no-install-recommends ca-certificates curl nftables

groupadd --gid 10001 sandbox
useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin sandbox
mkdir -p /sbx /files

# No program in the image may give anybody rights, though no_new_privs already forbids it.
find / -xdev -type f -perm /6000 -exec chmod ug-s {} +

apt-get clean
rm -rf /var/lib/apt/lists/* /var/cache/debconf/* /var/cache/ldconfig/* /var/log/* /tmp/* /var/tmp/*
rm -f /etc/passwd- /etc/group- /etc/shadow- /etc/gshadow- /etc/machine-id /var/lib/dbus/machine-id
rm -rf /usr/share/doc/* /usr/share/man/* /usr/share/info/* /usr/share/locale/*
