{{- define "movedex.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | replace (printf "%s-%s" .Chart.Name .Chart.Name) .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "movedex.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "movedex.labels" -}}
{{ include "movedex.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "movedex.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}{{- else -}}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{- end -}}
{{- end -}}
{{- end -}}

{{- /* What every pod has: no rights in the cluster or on its node. */ -}}
{{- define "movedex.pod" -}}
automountServiceAccountToken: false
terminationGracePeriodSeconds: 60
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 1Gi }
{{- if eq .Values.database.engine "sqlite" }}
  - name: data
    persistentVolumeClaim:
      claimName: {{ .Values.database.sqlite.existingClaim | default (include "movedex.name" .) }}
{{- end }}
{{- end -}}

{{- /* And what every container has. */ -}}
{{- define "movedex.container" -}}
image: {{ include "movedex.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
command: [movedex]
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - { name: tmp, mountPath: /tmp }
{{- if eq .Values.database.engine "sqlite" }}
  - { name: data, mountPath: /data }
{{- end }}
{{- end -}}
