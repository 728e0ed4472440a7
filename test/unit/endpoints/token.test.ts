import { MemoryTokenStore } from 'customer-sign-in'
import { tokenEndpointSuite } from './token-suite'

describe('the token endpoint over MemoryTokenStore', () => tokenEndpointSuite(() => new MemoryTokenStore()))
