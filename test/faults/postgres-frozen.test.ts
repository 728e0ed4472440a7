import { postgres } from '../support/database'
import { frozen } from './suites/frozen'

frozen(postgres)
