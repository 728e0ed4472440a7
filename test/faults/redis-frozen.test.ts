import { redis } from '../support/database'
import { frozen } from './suites/frozen'

frozen(redis)
