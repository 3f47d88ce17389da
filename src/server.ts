export {
  createServer,
  type Hook,
  type Server,
  type ServerContribution,
  type ServerLog,
  type ServerOptions,
} from './server/create-server.ts'
export type { StreamLimits } from './server/event-stream.ts'
export { listen, type Listening } from './server/listen.ts'
export { assertBindIsSafe } from './server/loopback.ts'
// What routes of capabilities are made with.
export { bytes, empty, json, refusal } from './server/answer.ts'
export { failureOf, HttpFailure } from './server/failure.ts'
export { type InlineFile, inlineFile } from './server/inline-file.ts'
export { messageReasoning } from './server/message-reasoning.ts'
export { noSuchSession } from './server/no-such.ts'
export { type RecordEndpoints, recordRoutes } from './server/routes/record-routes.ts'
export { restoreBody, versionLookedAt } from './server/routes/record-schema.ts'
export { attachments, decidedBy, digest, limit } from './server/schema.ts'
export { submitWithFiles } from './server/submit-with-files.ts'
