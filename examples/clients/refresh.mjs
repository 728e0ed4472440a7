export async function refresh(tokens) {
  const response = await fetch('https://your.host/v1/acme/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: 'web-app',
      refresh_token: tokens.refresh_token,
    }),
  })
  const refreshed = await response.json()
  // On `invalid_grant` the customer has to sign in again. After any other error, keep the tokens and try again.
  if (!response.ok) throw new Error(refreshed.error)
  return refreshed
}
