import { expect } from "vitest";
import type { Document } from "yaml";

/** What of a pod's specification the rules look at. */
export type Pod = {
  readonly automountServiceAccountToken?: boolean;
  readonly restartPolicy?: string;
  readonly securityContext: { readonly runAsNonRoot?: boolean; readonly runAsGroup?: number };
  readonly volumes: readonly {
    readonly name: string;
    readonly emptyDir?: { readonly sizeLimit?: string };
    readonly persistentVolumeClaim?: { readonly claimName: string };
  }[];
  readonly containers: readonly {
    readonly name: string;
    readonly args: readonly string[];
    readonly livenessProbe?: { readonly httpGet: { readonly path: string } };
    readonly readinessProbe?: { readonly httpGet: { readonly path: string } };
    readonly resources: { readonly limits?: { readonly memory?: string } };
    readonly securityContext: { readonly readOnlyRootFilesystem?: boolean; readonly allowPrivilegeEscalation?: boolean };
    readonly envFrom?: readonly { readonly secretRef: { readonly name: string; readonly optional?: boolean } }[];
    readonly volumeMounts: readonly { readonly name: string }[];
  }[];
};

type WithPod = {
  readonly spec?: {
    readonly template?: { readonly spec: Pod };
    readonly jobTemplate?: { readonly spec: { readonly template: { readonly spec: Pod } } };
  };
} | null;

/** The pods of Kubernetes' objects: of jobs, CronJobs and Deployments. */
export function podsOf(documents: readonly { toJS: Document["toJS"] }[]): Pod[] {
  return documents.flatMap((document) => {
    const { spec } = (document.toJS() as WithPod) ?? {};
    return spec?.template?.spec ?? spec?.jobTemplate?.spec.template.spec ?? [];
  });
}

/** Holds that a pod has no token of the cluster, no place to write without a bound, and that a service is asked whether it lives. */
export function expectHarmlessPod({ automountServiceAccountToken, volumes, containers, securityContext }: Pod): void {
  expect([automountServiceAccountToken, securityContext.runAsNonRoot, securityContext.runAsGroup]).toEqual([false, true, 10001]);
  for (const { emptyDir } of volumes) if (emptyDir !== undefined) expect(emptyDir.sizeLimit).toBe("1Gi");
  for (const { args, livenessProbe, readinessProbe, resources, securityContext: own, volumeMounts } of containers) {
    expect([own.readOnlyRootFilesystem, own.allowPrivilegeEscalation, resources.limits?.memory]).toEqual([true, false, "1Gi"]);
    expect(volumeMounts.map(({ name }) => name).sort()).toEqual(volumes.map(({ name }) => name).sort());
    if (args[0] !== "serve") continue;
    expect([livenessProbe?.httpGet.path, readinessProbe?.httpGet.path]).toEqual(["/v1/spec.json", "/v1/-/healthy"]);
  }
}
