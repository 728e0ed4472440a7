import { createPrivateKey } from 'node:crypto'
import { customerSignIn, type StoreName } from './customer-sign-in'
import { serve } from './serving'

const [store, databasePort, signingKey = ''] = process.argv.slice(2)
const start = customerSignIn('Express 5', store as StoreName, createPrivateKey(signingKey))
// Behind a load balancer all processes have the same URL.
void serve((_, port) => start('https://sign-in.example', port), Number(databasePort))
