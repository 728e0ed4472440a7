import { clientId } from '../../support/sign-in'
import { openidClient, openidClientSession } from './library-sessions'
import { staysSignedIn } from './stays-signed-in'
import { webApiErrorCode } from './web-api-error'

describe('openid-client', () =>
  staysSignedIn({
    start: async (issuer, api) => openidClientSession(clientId, (await openidClient).None(), issuer, api),
    checksIssuer: true,
    errorCode: webApiErrorCode,
  }))
