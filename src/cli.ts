// The command line: what a capability needs to contribute a command of its own, in the words and the form of the others.
// A command is a `Command` of `capability.ts`; `commandWithSubcommands` makes one from a table.

export { type AddressedGateway, openAddressedGateway } from './cli/addressed-gateway.ts'
export { apiPath, readFailure, requestJson, type RequestInput, requestList, sendRequest } from './cli/answer.ts'
export { confirm, confirmAction, connectionPurpose, isInteractive } from './cli/approval/asking.ts'
export { diffText } from './cli/approval/waiting.ts'
export { jsonOption, yesOption } from './cli/arguments.ts'
export { changeCommand, answerCommand, listCommand } from './cli/gateway-commands.ts'
export { findFile, uploadAndPrint } from './cli/attach/attach.ts'
export type { UploadOwner } from './cli/attach/hand-in.ts'
export { connectToHome, withConnection } from './cli/connection.ts'
export { ok, problem, warning } from './cli/doctor/finding.ts'
export { CommandFailure, refuseTools, usageFailure } from './cli/failure.ts'
export { findByName } from './cli/find-one.ts'
export { findSession, findStoredSession } from './cli/find-session.ts'
export { fileFailure, readNamedFile, writeFileOnce, writeNamedFile } from './cli/input-text.ts'
export { onInterrupt, runStoppable, signalExitCode } from './cli/interrupt.ts'
export {
  applyStyle,
  lineLimit,
  loadedCapabilities,
  note,
  print,
  printAnswer,
  printChange,
  printJson,
  printList,
  programCapabilities,
  readInput,
  safeForTerminal,
  width,
} from './cli/io.ts'
export { loadValidConfiguration, withHomeCapabilities } from './cli/load-configuration.ts'
export { findHomeStore, withClaim, withStore, withWritableStore } from './cli/open-store.ts'
export { parseSince } from './cli/parse-since.ts'
export { fetchPreview } from './cli/preview.ts'
export { findRecord, parseVersion, recordSubcommands, sharedWithOption } from './cli/records.ts'
export { parseLimit, searchHistory, snippet } from './cli/search-history.ts'
export { fetchTokenScale, sizedFile } from './cli/preview.ts'
export { ownerText, sizeText, stateText } from './cli/state-text.ts'
export { progressLine, statusLine } from './cli/status-line.ts'
export { commandWithSubcommands } from './cli/subcommand.ts'
export { cutToCells, fittedTable, rowTable, singleLine, table } from './cli/table.ts'
export { fullTimeText, timeText } from './cli/time-text.ts'
export { makeToken, withNamedTokens } from './cli/tokens.ts'
export { isSessionEvent, serverSentEvents } from './cli/turn.ts'
export { verifyStoredAudit } from './cli/verify-audit.ts'
export { version } from './cli/version.ts'
