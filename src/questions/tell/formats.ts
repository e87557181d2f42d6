/** What a webhook's receiver expects. */
export const webhookFormats = ["json", "slack", "discord"] as const;
export type WebhookFormat = (typeof webhookFormats)[number];
