/** The attributes of spans and metrics that OpenTelemetry has no convention for. */
export const own = {
  endpoint: 'customer_sign_in.endpoint',
  guard: 'customer_sign_in.guard',
  outcome: 'customer_sign_in.outcome',
  error: 'customer_sign_in.error',
  reason: 'customer_sign_in.reason',
  tenantKey: 'customer_sign_in.tenant.key',
  clientId: 'customer_sign_in.client.id',
  store: 'customer_sign_in.store',
  storeOutcome: 'customer_sign_in.store.outcome',
  eventType: 'customer_sign_in.event.type',
  credential: 'customer_sign_in.replay.credential',
  ended: 'customer_sign_in.replay.ended',
} as const

/** Those of the semantic conventions of OpenTelemetry. */
export const common = {
  method: 'http.request.method',
  route: 'http.route',
  status: 'http.response.status_code',
  path: 'url.path',
  scheme: 'url.scheme',
  url: 'url.full',
  host: 'server.address',
  port: 'server.port',
  errorType: 'error.type',
  system: 'db.system.name',
  operation: 'db.operation.name',
} as const
