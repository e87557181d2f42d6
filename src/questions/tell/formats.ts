/** What a webhook's receiver expects. */
export const webhookFormats = ["json", "slack", "discord", "alertmanager", "pagerduty"] as const;
export type WebhookFormat = (typeof webhookFormats)[number];
