import { redis } from '../support/database'
import { killed } from './suites/killed'

killed(redis)
