import { postgres } from '../support/database'
import { parallelProcesses } from './suites/parallel-processes'

parallelProcesses(postgres)
