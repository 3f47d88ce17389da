import { type HostedRuntime, type PeopleHomes, personNotFound } from '../runtime.ts'

/** What can be told to end its streams. */
interface Streaming {
  endStreams(which?: { readonly answers?: boolean }): void
}

/** The servers of the people of a gateway, each over the runtime of their home as it is open now. */
export function createPersonServers<Server extends Streaming>(
  homes: Pick<PeopleHomes, 'runtimeOf'> | undefined,
  make: (runtime: HostedRuntime) => Promise<Server>,
) {
  const servers = new Map<string, { readonly runtime: HostedRuntime; readonly server: Promise<Server> }>()
  const endStreamsOf = (server: Promise<Server>, which?: { readonly answers?: boolean }) =>
    void server.then((made) => made.endStreams(which)).catch(() => {})
  return {
    /** Rejects with what keeps the home of this person from being opened. */
    async of(person: string): Promise<Server> {
      if (homes === undefined) throw personNotFound(person)
      const runtime = await homes.runtimeOf(person)
      const found = servers.get(person)
      if (found?.runtime === runtime) return found.server
      if (found) endStreamsOf(found.server)
      const server = make(runtime)
      servers.set(person, { runtime, server })
      return server
    },
    endStreams(which?: { readonly answers?: boolean }) {
      for (const { server } of servers.values()) endStreamsOf(server, which)
    },
  }
}
