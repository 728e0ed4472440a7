import { postgres } from '../support/database'
import { lostReplies } from './suites/lost-replies'

lostReplies(postgres)
