import { redis } from '../support/database'
import { outage } from './suites/outage'

outage(redis)
