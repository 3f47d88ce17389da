export { eventSize } from './platform/event-size.ts'
export { editSteps, nearestName } from './platform/nearest-name.ts'
export { orAborted } from './platform/or-aborted.ts'
export { inSlices, partsOf, type Stretch, stretch } from './platform/stretch.ts'
