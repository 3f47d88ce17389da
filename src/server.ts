// The HTTP server of a runtime: its endpoints, its listening port, and what routes of capabilities are made with.
export { createServer, hostedOptions, type Server, type ServerOptions } from './server/create-server.ts'
export { entranceOptions } from './server/sign-in/sign-in-options.ts'
export { listenOnStandby, type StandbyListener } from './server/standby.ts'
export { listen, type ListeningServer } from './server/listen.ts'
export { askServer } from './server/routes/command-routes.ts'
export { assertBindIsSafe } from './server/guard.ts'
// What routes of capabilities are made with.
export { bytes, download, empty, errorBody, json, errorResponse, securityHeaders } from './server/answer.ts'
export { toFailure, HttpFailure, requireSession } from './server/failure.ts'
export { type InlineFile, inlineFile, submitWithFiles } from './server/inline-file.ts'
// What routes that answer in a format of others are made with.
export { type AnswerEvent, turnCompletion } from './server/completions/turn-completion.ts'
export {
  callerMessages,
  lastInput,
  callerInput,
  callerTool,
  completionHeaderWords,
  type CompletionSource,
  forcedTool,
  refuseToolsInSession,
  refuseUnsupported,
  requestedModel,
  type SessionMessage,
  sessionSource,
  CONFIGURED_MODEL,
  type KnownModel,
  knownModel,
  knownModels,
  MOST_MESSAGES,
} from './server/completions/completion-source.ts'
export {
  answerAccount,
  answerCompletion,
  type CompletionFormat,
  collectAnswer,
  type CollectedAnswer,
  type CompletionNames,
  ignoredHeader,
  namingHeaders,
  unreadFields,
} from './server/completions/write-completion.ts'
export { recordRoutes, restoreBodySchema, expectedVersionSchema } from './server/routes/record-routes.ts'
export {
  attachmentsSchema,
  costSums,
  decidedBySchema,
  digestSchema,
  inUtc,
  limitSchema,
  timeSchema,
} from './server/schema.ts'
