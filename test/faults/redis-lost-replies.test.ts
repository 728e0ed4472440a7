import { redis } from '../support/database'
import { lostReplies } from './suites/lost-replies'

lostReplies(redis)
