import { PostgresTokenStore } from 'customer-sign-in/postgres'
import { PipelinedPool } from '../../examples/postgres/pipelined-pool'
import { type Database, postgres } from '../support/database'
import { started } from '../support/started'
import { configOn } from '../support/started-on-postgres'
import { frozen } from './suites/frozen'
import { killed } from './suites/killed'
import { lostReplies } from './suites/lost-replies'
import { outage } from './suites/outage'

const pipelined: Database = {
  ...postgres,
  name: 'PostgreSQL, over a pool that pipelines,',
  startedOn: (port, { client: _, ...options } = {}) => {
    const tokenStore = new PostgresTokenStore(new PipelinedPool(configOn(port)))
    return started({ tokenStore, baseUrl: 'https://assistants.example', ...options })
  },
}

frozen(pipelined)
killed(pipelined)
lostReplies(pipelined)
outage(pipelined)
