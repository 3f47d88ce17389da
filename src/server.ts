// The HTTP server of a runtime: its endpoints, its listening port, and what routes of capabilities are made with.
export { createServer, hostedOptions, type Server, type ServerOptions } from './server/create-server.ts'
export { contributionsOf, type ServerContribution, type StartedCapabilities } from './server/contributions.ts'
export type { OfferedChoices } from './server/session-choices.ts'
export { listen, type Listening } from './server/listen.ts'
export { assertBindIsSafe } from './server/guard.ts'
// What routes of capabilities are made with.
export { bytes, empty, json, refusal } from './server/answer.ts'
export { failureOf, HttpFailure, noSuchSession } from './server/failure.ts'
export { type InlineFile, inlineFile, submitWithFiles } from './server/inline-file.ts'
export { messageReasoning } from './server/message-reasoning.ts'
export { recordRoutes, restoreBody, versionLookedAt } from './server/routes/record-routes.ts'
export { attachments, decidedBy, digest, limit } from './server/schema.ts'
