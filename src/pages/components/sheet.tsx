/** Component: a drawing of a page as a placeholder for a document. */
export const Sheet = ({ class: name }: { readonly class?: string }) => (
  <svg
    class={name}
    viewBox="0 0 40 52"
    width={40}
    height={52}
    fill="none"
    stroke="#c3c9d4"
    stroke-width={2}
    stroke-linecap="round"
    aria-hidden="true"
  >
    <path stroke="#98a1b2" stroke-width={3} d="M7 9h14" />
    <path d="M7 17h26M7 23h26M7 29h19M7 36h26M7 42h26" />
  </svg>
)
