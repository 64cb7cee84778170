{{/* The port at which every service tells its health. */}}
{{- define "freshet.healthPort" -}}8080{{- end -}}

{{/* The port at which the gateway answers. */}}
{{- define "freshet.gatewayPort" -}}4723{{- end -}}

{{/* Where the mirrors of watcher.mirrors are. */}}
{{- define "freshet.mirrors" -}}/var/lib/freshet/mirrors{{- end -}}

{{/* The configuration, with what this chart knows better. */}}
{{- define "freshet.configuration" -}}
{{- $c := deepCopy .Values.config -}}
{{- $_ := set $c "health" (dict "listen" (printf ":%s" (include "freshet.healthPort" .))) -}}
{{- $sources := get $c "sources" | default list -}}
{{- range .Values.watcher.mirrors.repositories -}}
{{- $source := dict "root" (printf "%s/%s.git" (include "freshet.mirrors" $) .name) "name" .name -}}
{{- with get . "branch" -}}{{- $_ := set $source "branch" . -}}{{- end -}}
{{- $sources = append $sources $source -}}
{{- end -}}
{{- $_ := set $c "sources" $sources -}}
{{- $gateway := get $c "gateway" | default dict -}}
{{- $_ := set $gateway "listen" (ternary (printf ":%s" (include "freshet.gatewayPort" .)) "" (ne .Values.secrets.gateway "")) -}}
{{- if .Values.secrets.gateway -}}
{{- $_ := set $gateway "secret_file" "/run/secrets/gateway/secret" -}}
{{- $hosts := get $gateway "hosts" | default list -}}
{{- $name := printf "%s-gateway" (include "freshet.fullname" .) -}}
{{- range list "" (printf ".%s" .Release.Namespace) (printf ".%s.svc" .Release.Namespace) (printf ".%s.svc.cluster.local" .Release.Namespace) -}}
{{- $hosts = append $hosts (print $name .) -}}
{{- end -}}
{{- $_ := set $gateway "hosts" $hosts -}}
{{- end -}}
{{- $_ := set $c "gateway" $gateway -}}
{{- toYaml $c -}}
{{- end -}}

{{/* That of services which do not use the stores, and do not get their keys. */}}
{{- define "freshet.configurationWithoutStores" -}}
{{- omit (include "freshet.configuration" . | fromYaml) "stores" "elasticsearch" "weaviate" | toYaml -}}
{{- end -}}

{{/* The eight digits that stand for the sizes of passages and the embedder, as
pkg/contract makes them. A test compares them. */}}
{{- define "freshet.generation" -}}
{{- if .Values.autoscaling.generation -}}
{{- .Values.autoscaling.generation -}}
{{- else -}}
{{- $cut := dict "target" 1500 "max" 3000 "prose" 1000 "overlap" 200 -}}
{{- range $key, $value := get .Values.config "chunker" | default dict -}}
{{- $_ := set $cut $key $value -}}
{{- end -}}
{{- range list "target" "max" "prose" "overlap" -}}
{{- if not (regexMatch "^[0-9]+$" (toString (get $cut .))) -}}
{{- fail (printf "config.chunker.%s is %v, out of which this chart cannot make the names of consumers: write a number, or set autoscaling.generation" . (get $cut .)) -}}
{{- end -}}
{{- end -}}
{{- if get (get .Values.config "embedder" | default dict) "model" -}}
{{- fail "config.embedder.model is set, whose identity this chart cannot know: set autoscaling.generation to the eight digits at the end of the consumers' names, which `nats consumer ls CHUNKS` shows" -}}
{{- end -}}
{{- $signature := printf "split-3/code-%v-%v/prose-%v-%v" $cut.target $cut.max $cut.prose $cut.overlap -}}
{{- printf "%s\x00%s" $signature "static-bbf3d9c9f988" | sha256sum | trunc 8 -}}
{{- end -}}
{{- end -}}

{{/* The login of a user at NATS, over that of the configuration. */}}
{{- define "freshet.login" -}}
{{- with get .root.Values.logins .user -}}
- name: FRESHET_NATS_USER
  value: {{ $.user }}
- name: FRESHET_NATS_PASSWORD
  valueFrom:
    secretKeyRef: {name: {{ . }}, key: password}
{{- end -}}
{{- end -}}

{{/* The environment in which the command line finds NATS. */}}
{{- define "freshet.commandLine" -}}
{{- $nats := .Values.config.nats -}}
{{- if .Values.logins.ask -}}
{{- $nats = omit $nats "user" "password" "credentials" -}}
{{ include "freshet.login" (dict "root" . "user" "ask") }}
{{- end -}}
{{- range list "url" "user" "password" "credentials" -}}
{{- if get $nats . }}
- name: FRESHET_NATS_{{ upper . }}
  value: {{ get $nats . | quote }}
{{- end -}}
{{- end -}}
{{- range $key, $value := get $nats "tls" | default dict }}
- name: FRESHET_NATS_TLS_{{ upper $key }}
  value: {{ $value | quote }}
{{- end -}}
{{- end -}}
