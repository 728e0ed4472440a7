import { postgres } from '../support/database'
import { outage } from './suites/outage'

outage(postgres)
