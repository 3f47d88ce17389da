/**
 * Calls that programs of others make: what their bodies say in the formats of APIs, taken apart into layers, and what the
 * answers to them report. Pure: bytes and headers in, accounts out.
 */
export {
  type ForeignAssembly,
  type ForeignIdentity,
  type ForeignRequestHead,
  type KeptConversation,
} from './foreign/foreign-call.ts'
export { type ExplainInput, explainSteps } from './foreign/explain-request.ts'
export { knownClients } from './foreign/recognisers/recognisers.ts'
export { callFormat, identifyCall, identifyingHeaders } from './foreign/identify-call.ts'
export { textCounts } from './foreign/explain-request.ts'
export { type BodyScan, type ListPlace, longTexts, scanBody, splitBody } from './foreign/split-body.ts'
export { commonPrefix, type ForeignReuse } from './foreign/common-prefix.ts'
export { isResultEntry } from './foreign/compared-unit.ts'
export type { ForeignCause } from './foreign/change-cause.ts'
export { callFindings } from './foreign/call-findings.ts'
export type { ForeignFinding, SessionCall } from './foreign/foreign-finding.ts'
export type { CutAccount } from './foreign/cut/cut-request.ts'
export { type ForeignCut } from './foreign/cut/cut-plan.ts'
export { cutRequest } from './foreign/cut/cut-request.ts'
