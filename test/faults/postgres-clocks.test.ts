import { postgres } from '../support/database'
import { clocks } from './suites/clocks'

clocks(postgres)
