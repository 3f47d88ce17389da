import type { ReactNode } from 'react'
import { Link } from 'wouter'

export function NotFoundPage(): ReactNode {
  return (
    <main className="p-6">
      <h1 className="text-xl font-semibold">This page does not exist</h1>
      <p className="mt-2">
        <Link href="/" className="text-accent underline">
          Start a new conversation
        </Link>
      </p>
    </main>
  )
}
