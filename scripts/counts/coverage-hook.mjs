// Loaded into a gateway with `--import`. On `begin` it starts to count, on `end` it sends what ran since: how often is
// not of interest, whether is. The inspector of the process itself counts, so nothing of the program is changed.
import { Session } from 'node:inspector'

const session = new Session()
session.connect()
session.post('Profiler.enable')

process.on('message', (message) => {
  if (message === 'begin') {
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    // The first reading sets every count to zero.
    session.post('Profiler.takePreciseCoverage', () => process.send('begun'))
  } else if (message === 'end') {
    session.post('Profiler.takePreciseCoverage', (_, { result }) =>
      process.send({ result: result.flatMap(functionsOf) }),
    )
  }
})
process.channel.unref()

function functionsOf({ url, functions }) {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return []
  return functions
    .filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0)
    .map(({ functionName, ranges }) => ({ url, name: functionName, start: ranges[0].startOffset }))
}
