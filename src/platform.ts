export {
  type AtomicFileOptions,
  type NewFileOptions,
  writeFileAtomically,
  writeNewFile,
} from './platform/atomic-file.ts'
export { type Defined, defined } from './platform/defined.ts'
export { errorMessage } from './platform/error-message.ts'
export { withFileLock } from './platform/file-lock.ts'
export { ForewordError, type ForewordErrorOptions } from './platform/foreword-error.ts'
export { SIGNATURE_BYTES, signatureType } from './platform/byte-signature.ts'
export { eventSize } from './platform/event-size.ts'
export { editSteps, nearestName } from './platform/nearest-name.ts'
export { once } from './platform/once.ts'
export { orAborted } from './platform/or-aborted.ts'
export { makePrivateFolder, syncFolder } from './platform/private-folder.ts'
export { type KeyedQueue, keyedQueue, type SerialQueue, serialQueue } from './platform/serial-queue.ts'
export { sha256 } from './platform/sha256.ts'
export { type SingleFlight, singleFlight } from './platform/single-flight.ts'
export { sleep } from './platform/sleep.ts'
export { inSlices, partsOf, type Stretch, stretch } from './platform/stretch.ts'
export { settlesWithin, type TimeoutOptions, withTimeout } from './platform/with-timeout.ts'
