#!/bin/bash
# build.sh [MODULE...]   builds the Java peers (wss4j15, wss4j4, cxf, rampart; all by default) into MODULE/target. Needs JDK 17 and Maven.
# Maven only fetches the pinned libraries (offline when the local repository has them); javac compiles. A module whose sources are unchanged is left alone.
set -euo pipefail
cd "$(dirname "$0")"
todo=()
for m in "${@:-wss4j15 wss4j4 cxf rampart}"; do for n in $m; do
  want=$(cat pom.xml build.sh common/*.java "$n"/pom.xml "$n"/*.java "$n"/*.xml | sha256sum)
  [ -f "$n/target/stamp" ] && [ "$(cat "$n/target/stamp")" = "$want" ] && continue
  todo+=("$n")
done; done
[ ${#todo[@]} -gt 0 ] || exit 0
fetch=()
for n in "${todo[@]}"; do
  pins=$(cat pom.xml "$n/pom.xml" | sha256sum)
  [ -f "$n/target/pins" ] && [ "$(cat "$n/target/pins")" = "$pins" ] || { rm -rf "$n/target/lib"; fetch+=("$n"); }
done
if [ ${#fetch[@]} -gt 0 ]; then
  log=$(mktemp); list=$(IFS=,; echo "${fetch[*]}")
  nice -n 10 mvn -q -B -ntp -pl "$list" process-resources >"$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; exit 1; }
  rm -f "$log"
  for n in "${fetch[@]}"; do cat pom.xml "$n/pom.xml" | sha256sum >"$n/target/pins"; done
fi
for n in "${todo[@]}"; do
  rm -rf "$n/target/classes"; mkdir -p "$n/target/classes"
  nice -n 10 javac --release 17 -encoding UTF-8 -nowarn -Xlint:none -proc:none -cp "$n/target/lib/*" -d "$n/target/classes" common/*.java "$n"/*.java
  for x in "$n"/*.xml; do [ "$x" = "$n/pom.xml" ] || cp "$x" "$n/target/classes/"; done
  cat pom.xml build.sh common/*.java "$n"/pom.xml "$n"/*.java "$n"/*.xml | sha256sum >"$n/target/stamp"
done
