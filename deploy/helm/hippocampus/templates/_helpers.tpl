{{- define "hippocampus.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "hippocampus.labels" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "hippocampus.meta" -}}
{{ include "hippocampus.labels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- /* One process of ours: the image, where the store is, and nothing that it may write to but memory. */ -}}
{{- define "hippocampus.container" -}}
image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}"
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
env:
  - name: HIPPOCAMPUS_STORE
    valueFrom:
      secretKeyRef:
        name: {{ .root.Values.store.existingSecret }}
        key: {{ .addressKey | default .root.Values.store.addressKey }}
  {{- if .root.Values.keyRing.existingClaim }}
  - name: HIPPOCAMPUS_KEY
    value: {{ printf "ring:/keys/%s" .root.Values.keyRing.file | quote }}
  {{- end }}
{{- with .root.Values.store.environmentSecret }}
envFrom:
  - secretRef:
      name: {{ . }}
{{- end }}
ports:
  - name: http
    containerPort: 8765
startupProbe:
  httpGet: {path: /healthz, port: http}
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /healthz, port: http}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /readyz, port: http}
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 2
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
  - name: scratch
    mountPath: /tmp
  - name: scratch
    mountPath: /data
  {{- if .root.Values.keyRing.existingClaim }}
  - name: key-ring
    mountPath: /keys
  {{- end }}
  {{- with .root.Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "hippocampus.volumes" -}}
- name: scratch
  emptyDir: {}
{{- if .root.Values.keyRing.existingClaim }}
- name: key-ring
  persistentVolumeClaim:
    claimName: {{ .root.Values.keyRing.existingClaim | quote }}
{{- end }}
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "hippocampus.pod" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
