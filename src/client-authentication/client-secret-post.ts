import { clientSecretBasic, proofBySecret } from './client-secret-basic'
import type { AuthenticationMethod } from './method'

/** The same secret as a parameter of the form (RFC 6749 section 2.3.1). */
export const clientSecretPost: AuthenticationMethod = {
  ...clientSecretBasic,
  name: 'client_secret_post',
  presented: (form) => proofBySecret(clientSecretPost, form.get('client_secret')),
}
