import { clientId } from '../../support/sign-in'
import { oauth4webapi, oauth4webapiSession } from './library-sessions'
import { staysSignedIn } from './stays-signed-in'
import { webApiErrorCode } from './web-api-error'

describe.each([
  ['oauth4webapi', async () => (await oauth4webapi).None()],
  ['oauth4webapi that names itself by HTTP Basic', async () => (await oauth4webapi).ClientSecretBasic('ignored')],
])('%s', (_, authentication) =>
  staysSignedIn({
    start: async (issuer, api) => oauth4webapiSession(clientId, await authentication(), issuer, api),
    checksIssuer: true,
    errorCode: webApiErrorCode,
  }),
)
