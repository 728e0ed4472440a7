import { postgres } from '../support/database'
import { killed } from './suites/killed'

killed(postgres)
