import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'

/** A request of `node:http`, or of the compatibility API of `node:http2`. */
export type NodeRequest = IncomingMessage | Http2ServerRequest

/** A response of `node:http`, or of the compatibility API of `node:http2`. */
export type NodeResponse = ServerResponse | Http2ServerResponse
