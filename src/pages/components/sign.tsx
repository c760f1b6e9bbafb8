/** Component: Gatehouse's logo. */
export const Sign = ({ size }: { size: number }) => (
  <svg viewBox="0 0 34 34" width={size} height={size} aria-hidden="true">
    <rect class="sign-ground" width="34" height="34" rx="9" />
    <path class="sign-gate" d="M8.5 25v-8a8.5 8.5 0 0 1 17 0v8M13 25v-7.5a4 4 0 0 1 8 0V25M17 14v11" />
  </svg>
)
