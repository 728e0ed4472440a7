import { consentForm } from '../../support/consent-form'
import { errorOfPage } from './refused'

/** Reads the page and submits its form as a customer does who presses Allow. */
export async function submitForm(url: URL): Promise<URL> {
  const page = await fetch(url, { redirect: 'manual' })
  if (page.status === 303) return new URL(page.headers.get('location') ?? '')
  const text = await page.text()
  if (page.status !== 200) throw errorOfPage(text)
  const { action, token } = consentForm({ text })
  const answer = await fetch(new URL(action, url), {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ consent_token: token, decision: 'allow' }),
  })
  await answer.body?.cancel()
  return new URL(answer.headers.get('location') ?? '')
}
