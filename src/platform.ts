export { inSlices, partsOf, type Stretch, stretch } from './platform/stretch.ts'
