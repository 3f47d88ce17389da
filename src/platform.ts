// What every room needs once: errors and their codes, files, locks, SQLite, queues, timers and small functions on data.
export { type ErrorCode, errorCodes, type ErrorMeaning } from './platform/error-codes.ts'
export { noteWrittenFile, watchWrittenFiles } from './platform/written-files.ts'
export { makePrivateFolder, syncFolder, writeFileAtomically, writeNewFile } from './platform/atomic-file.ts'
export { defined } from './platform/defined.ts'
export { decodeUrlPart, elementsOf, fieldsOf, isObject, parseJson } from './platform/unknown-value.ts'
export { asSentence, errorMessage, ForewordError, type ForewordErrorOptions } from './platform/foreword-error.ts'
export { answerText } from './platform/answer-text.ts'
export { byteBudget, growingRoom } from './platform/byte-budget.ts'
export { decodeBody, decodingStream } from './platform/content-encoding.ts'
export { escapeMarkup, quoteForShell, shellWords } from './platform/escaped-text.ts'
export { type FairTurn, fairTurns } from './platform/fair-turns.ts'
export { folderBytes } from './platform/folder-bytes.ts'
export { fileLabel } from './platform/file-label.ts'
export { foldCase, bytesFrom } from './platform/file-system.ts'
export { rememberWhileUnchanged } from './platform/remember-while-unchanged.ts'
export { isFileLocked, lockFile, withFileLock } from './platform/file-lock.ts'
export {
  followWithin,
  type HeldFolder,
  heldMessage,
  holdEntry,
  holdFolder,
  holdRealFolder,
  openWithin,
  withOpened,
} from './platform/held-folder.ts'
export { SIGNATURE_BYTES, signatureType } from './platform/byte-signature.ts'
export { isWithin } from './platform/file-system.ts'
export { ownNames, ownNetworks } from './platform/own-networks.ts'
export { largestEvent } from './platform/largest-event.ts'
export { editDistance, nearestHint, nearestName } from './platform/nearest-name.ts'
export { once, singleFlight } from './platform/serial-queue.ts'
export { type Clock, clockOf } from './platform/clock.ts'
export { type ReadMounts, remoteFileSystem } from './platform/file-system.ts'
export { type Pauses, watchPauses } from './platform/pause-watch.ts'
export { localTimeZone, systemClock } from './platform/system-clock.ts'
export { NO_LONGER_NEEDED, orAborted, PAID_WORK_MS, settlesWithin, withTimeout } from './platform/timers.ts'
export { type KnownSecrets, knownSecrets } from './platform/known-secrets.ts'
export { addressPasswords, publicAddress, redactData, redactSecrets } from './platform/redact.ts'
export {
  addDescendants,
  leaveProcessorToOthers,
  listProcesses,
  type ProcessStatus,
  readEnvironment,
  readStatus,
  RUN_MARK,
  runnableFile,
  withoutInherited,
} from './platform/processes.ts'
export { comesFromTool, isConnectionOfTool, noteToolProgram } from './platform/tool-descent.ts'
export { type Activity, createActivity, restingClock } from './platform/activity.ts'
export { keyedQueue, serialQueue } from './platform/serial-queue.ts'
export { enclosedJson, hasLongText, jsonParts, jsonText, LONG_TEXT } from './platform/json-parts.ts'
export { sha256, sha256OfJson } from './platform/sha256.ts'
export { parseTraceparent, readTraceparent } from './platform/traceparent.ts'
export { inSlices, textChunks, type TimeSlice, timeSlice } from './platform/time-slice.ts'
export {
  openSqlite,
  type SqliteConnection,
  type SqliteValue,
  canWriteIn,
  sqliteError,
  type SqliteFileKind,
  type SqliteOptions,
} from './platform/sqlite.ts'
export {
  compactSqliteFile,
  copySqliteFile,
  findSqliteFileFault,
  querySqliteFile,
  inspectSqliteFile,
  readSqliteFile,
  sqliteFileFault,
} from './platform/sqlite-file.ts'
