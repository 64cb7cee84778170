{{/* The Secrets that a service gets: .stores says whether those of the stores, and
.gateway whether that of the gateway. */}}
{{- define "freshet.secretNames" -}}
{{- $names := list "nats" -}}
{{- if .stores -}}{{- $names = list "nats" "elasticsearch" "weaviate" -}}{{- end -}}
{{- if get . "gateway" -}}{{- $names = append $names "gateway" -}}{{- end -}}
{{- $given := dict -}}
{{- range $names -}}
{{- if get $.root.Values.secrets . -}}{{- $_ := set $given . (get $.root.Values.secrets .) -}}{{- end -}}
{{- end -}}
{{- toYaml $given -}}
{{- end -}}

{{- define "freshet.secretMounts" -}}
{{- range $name, $secret := include "freshet.secretNames" . | fromYaml }}
- name: secret-{{ $name }}
  mountPath: /run/secrets/{{ $name }}
  readOnly: true
{{- end }}
{{- end -}}

{{- define "freshet.secretVolumes" -}}
{{- range $name, $secret := include "freshet.secretNames" . | fromYaml }}
- name: secret-{{ $name }}
  secret: {secretName: {{ $secret }}, defaultMode: 0440}
{{- end }}
{{- end -}}

{{/* What both containers have that keep the mirrors; the image has git. */}}
{{- define "freshet.mirrorContainer" -}}
image: {{ include "freshet.image" (dict "root" . "name" "watcher") | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext: {{- toYaml .Values.securityContext | nindent 2 }}
env:
  - {name: HOME, value: /tmp}
  - {name: DIR, value: {{ include "freshet.mirrors" . }}}
  - {name: MIRRORS, value: /etc/freshet}
  - {name: SECRETS, value: /run/secrets/git}
resources: {{- toYaml .Values.watcher.mirrors.resources | nindent 2 }}
volumeMounts:
  - {name: configuration, mountPath: /etc/freshet, readOnly: true}
  - {name: tmp, mountPath: /tmp}
  - {name: mirrors, mountPath: {{ include "freshet.mirrors" . }}}
  {{- range .Values.watcher.mirrors.repositories }}
  {{- if get . "secret" }}
  - {name: git-{{ .name }}, mountPath: /run/secrets/git/{{ .name }}, readOnly: true}
  {{- end }}
  {{- end }}
{{- end -}}
