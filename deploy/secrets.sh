#!/bin/sh
# Makes the secrets that docker-compose.yml reads, in deploy/secrets. What is
# there stays.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
for name in nats_watcher_password nats_chunker_password nats_embedder_password nats_indexer_password nats_query_password nats_evaluator_password nats_gateway_password nats_ask_password nats_announce_password nats_write_password nats_admin_password gateway_secret elastic_password weaviate_api_key; do
	[ ! -s "secrets/$name" ] || continue
	LC_ALL=C tr -dc A-Za-z0-9 </dev/urandom | head -c 32 >"secrets/$name.new"
	mv "secrets/$name.new" "secrets/$name"
	echo "made deploy/secrets/$name"
done
user=$(id -u)
if [ "$user" = 0 ]; then
	user=${FRESHET_UID:-1000}
	chown -R "$user" secrets
fi
if [ "$user" != "${FRESHET_UID:-1000}" ]; then
	echo "The containers have to run as the owner of these files: export FRESHET_UID=$user"
fi
