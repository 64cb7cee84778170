#!/bin/sh
# Exports a folder for Neo4j, has the importer of Neo4j's community edition make a
# database of it, and compares what that has imported with what was exported.
set -eu
. "$(dirname "$0")/instance.sh"
root=$1
release=${NEO4J_RELEASE:-5.26.0}
kept=${XDG_CACHE_HOME:-$HOME/.cache}/freshet-neo4j-$release

for program in java mvn python3; do
	command -v "$program" >/dev/null 2>&1 || { echo "neo4j: $program is missing; install a JDK 17, Maven and Python 3" >&2; exit 1; }
done
if [ ! -f "$kept/complete" ]; then
	mkdir -p "$kept"
	cat >"$kept/pom.xml" <<-EOF
		<project xmlns="http://maven.apache.org/POM/4.0.0">
		  <modelVersion>4.0.0</modelVersion>
		  <groupId>freshet</groupId> <artifactId>importer</artifactId> <version>1</version>
		  <dependencies>
		    <dependency> <groupId>org.neo4j</groupId> <artifactId>neo4j</artifactId> <version>$release</version> </dependency>
		    <dependency> <groupId>org.neo4j</groupId> <artifactId>neo4j-import-tool</artifactId> <version>$release</version> </dependency>
		  </dependencies>
		</project>
	EOF
	mvn --quiet --batch-mode --file "$kept/pom.xml" dependency:copy-dependencies -DoutputDirectory="$kept/lib"
	touch "$kept/complete"
fi

mkdir -p "$work/bin" "$work/neo4j/conf" "$work/neo4j/logs"
touch "$work/neo4j/conf/neo4j.conf"
cat >"$work/bin/neo4j-admin" <<-EOF
	#!/bin/sh
	export NEO4J_HOME=$work/neo4j NEO4J_CONF=$work/neo4j/conf
	exec java --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED \\
	  --add-opens=java.base/java.util.concurrent=ALL-UNNAMED -cp "$kept/lib/*" -Dapp.name=neo4j -Dbasedir=$work/neo4j org.neo4j.cli.AdminTool "\$@"
EOF
chmod +x "$work/bin/neo4j-admin"
start "$root"
printf 'A note with "quotes", a comma\nand two lines.\n' >"$work/first.md"
"$repo/bin/freshet" source add --data "$work/state" --api notes >/dev/null
"$repo/bin/freshet" put --data "$work/state" notes first.md "$work/first.md" >/dev/null
"$repo/bin/freshet" export "$work/graph" --format neo4j --data "$work/state"
PATH=$work/bin:$PATH sh "$work/graph/import.sh" neo4j >"$work/imported" 2>&1 || { cat "$work/imported" >&2; exit 1; }
python3 - "$work/graph" "$work/imported" <<-'EOF'
	import csv, glob, os, re, sys
	csv.field_size_limit(1 << 30)
	nodes = relations = 0
	for name in glob.glob(os.path.join(sys.argv[1], "*.csv")):
	    with open(name, newline="") as f:
	        rows = csv.reader(f)
	        head = next(rows)
	        n = sum(1 for _ in rows)
	    if any(":START_ID" in c for c in head):
	        relations += n
	    else:
	        nodes += n
	said = open(sys.argv[2]).read()
	got = [int(re.search(r"(\d+) " + kind, said).group(1)) for kind in ("nodes", "relationships")]
	print(f"exported {nodes} nodes and {relations} relationships, imported {got[0]} and {got[1]}")
	sys.exit(got != [nodes, relations])
EOF
