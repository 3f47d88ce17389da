export { type ErrorCode, errorCodes, type ErrorMeaning } from './platform/error-codes.ts'
export {
  type AtomicFileOptions,
  makePrivateFolder,
  type NewFileOptions,
  syncFolder,
  writeFileAtomically,
  writeNewFile,
} from './platform/atomic-file.ts'
export { type Defined, defined } from './platform/defined.ts'
export { errorMessage, ForewordError, type ForewordErrorOptions } from './platform/foreword-error.ts'
export { type FileLock, isFileLocked, lockFile, withFileLock } from './platform/file-lock.ts'
export { SIGNATURE_BYTES, signatureType } from './platform/byte-signature.ts'
export { eventSize } from './platform/largest-event.ts'
export { editSteps, nearestName } from './platform/nearest-name.ts'
export { once, type SingleFlight, singleFlight } from './platform/single-flight.ts'
export { orAborted, settlesWithin, sleep, type TimeoutOptions, withTimeout } from './platform/timers.ts'
export { type KeyedQueue, keyedQueue, type SerialQueue, serialQueue } from './platform/serial-queue.ts'
export { sha256 } from './platform/sha256.ts'
export { inSlices, partsOf, type Stretch, stretch } from './platform/time-slice.ts'
export {
  openSqlite,
  type SqliteConnection,
  sqliteError,
  type SqliteErrorCode,
  type SqliteFileKind,
  type SqliteOptions,
  sqliteResult,
} from './platform/sqlite.ts'
export { compactSqliteFile, copySqliteFile, readSqliteFile, sqliteFileFault } from './platform/sqlite-file.ts'
