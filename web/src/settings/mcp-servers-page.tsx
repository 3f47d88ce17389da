import { type ReactNode, useState } from 'react'
import { useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { ServerCard } from './mcp-servers-card.tsx'
import { isUnsaved, ServerForm } from './mcp-servers-form.tsx'
import { SERVERS, type ServerList } from './mcp-servers-list.ts'
import { ServerVersions } from './mcp-servers-versions.tsx'

/** How often the list is read again while a server starts or has failed, and otherwise, ms. */
const SOON_MS = 1_000
const LATER_MS = 5_000

const isSettled = ({ servers }: ServerList): boolean =>
  servers.every(({ state }) => state === 'running' || state === 'disabled')

/** The MCP servers whose tools a model may use: how each is, and how it is configured. */
export default function McpServersPage(): ReactNode {
  const { data, error } = useResource<ServerList>(SERVERS, {
    refreshInterval: (latest) => (latest && !isSettled(latest) ? SOON_MS : LATER_MS),
  })
  const [adds, setAdds] = useState(() => isUnsaved(''))
  if (error && data === undefined) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  return (
    <div className="flex flex-col gap-6">
      <p className="text-soft">
        Programs and addresses that offer tools over MCP. Their tools must be allowed like all others.
      </p>
      {error && <ErrorNote error={error} />}
      {data.servers.length === 0 && <p>No server is configured yet.</p>}
      {data.servers.map((server) => (
        <ServerCard key={server.name} server={server} />
      ))}
      {adds ? (
        <ServerForm name="" written={undefined} onClose={() => setAdds(false)} />
      ) : (
        <div>
          <Button onClick={() => setAdds(true)}>Add a server</Button>
        </div>
      )}
      <section aria-label="Earlier servers" className="flex flex-col gap-2">
        <h2 className="text-lg font-semibold">Earlier servers</h2>
        <ServerVersions />
      </section>
    </div>
  )
}
