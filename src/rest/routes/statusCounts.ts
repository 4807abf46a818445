/** How many runs have each status, under the contract's names for them (3.1). */
export const statusCounts = /* GraphQL */ `
  fragment StatusCounts on RunStatusCounts {
    queued running waiting paused needs_attention: needsAttention succeeded failed cancelled
  }`;
