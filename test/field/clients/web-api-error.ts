/** The OAuth error code of an error of oauth4webapi or openid-client, which leave the body of a 5xx response unread. */
export async function webApiErrorCode(thrown: unknown): Promise<string> {
  const { error, cause } = thrown as { error?: string; cause?: unknown }
  if (error !== undefined) return error
  const body = (await (cause as Response).json()) as { error: string }
  return body.error
}
