export type {
  AllowedEvent,
  CustomerEvent,
  DeclinedEvent,
  DeniedEvent,
  ErrorEvent,
  ExpiredEvent,
  GrantEvent,
  IssuedEvent,
  RefreshedEvent,
  RegisteredEvent,
  RepeatEvent,
  ReplayedEvent,
  RetriedEvent,
  RevokedEvent,
  StaleEvent,
  TimedEvent,
} from '../contract/customer-sign-in-event'
export type { DenialReason, FaultReason } from '../protocol/reasons'
export type {
  DocumentsMessage,
  EndpointName,
  FetchMessage,
  GuardMessage,
  MessageRefusal,
  RequestMessage,
  StoreMessage,
  TimedMessage,
} from './messages'
