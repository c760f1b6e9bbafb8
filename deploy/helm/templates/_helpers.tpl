{{- define "gatehouse.labels" -}}
app.kubernetes.io/name: gatehouse
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Labels of a component. The arguments are the root and the component. */}}
{{- define "gatehouse.componentLabels" -}}
{{ include "gatehouse.labels" (index . 0) }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* The part of a pod that all components share. */}}
{{- define "gatehouse.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
volumes:
  - name: tmp
    emptyDir: {}
{{- with .Values.volumes }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}

{{/* The part of a container that all components share. */}}
{{- define "gatehouse.container" -}}
image: "{{ required "Set image.repository to the image that you built." .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{ include "gatehouse.restricted" . }}
{{- end }}

{{/* The rights and volumes of a container. */}}
{{- define "gatehouse.restricted" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - name: tmp
    mountPath: /tmp
{{- with .Values.volumeMounts }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}

{{- define "gatehouse.secret" -}}
- secretRef:
    name: {{ required "Set secretName to a Secret with DATABASE_URL, ENCRYPTION_KEYS and HASH_KEY." .Values.secretName }}
{{- end }}

{{/* The secrets of the owner of the tables. */}}
{{- define "gatehouse.ownerSecrets" -}}
{{ include "gatehouse.secret" . }}
{{- with .Values.migrationSecretName }}
- secretRef:
    name: {{ . }}
{{- end }}
{{- end }}

{{- define "gatehouse.settings" -}}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}
