export { createServer, type Hook, type Server, type ServerLog, type ServerOptions } from './server/create-server.ts'
export type { StreamLimits } from './server/event-stream.ts'
export { listen, type Listening } from './server/listen.ts'
export { assertBindIsSafe } from './server/loopback.ts'
