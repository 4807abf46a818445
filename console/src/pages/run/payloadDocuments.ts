import { graphql } from '../../data/graphql.ts';

export const runPayloadsDocument = graphql(`
  query RunPayloads($id: ID!) {
    run(id: $id) {
      id
      inputPayload {
        bytes
        head(bytes: 262144)
      }
      resultPayload {
        bytes
        head(bytes: 262144)
      }
    }
  }
`);

export const runInputDocument = graphql(`
  query RunInput($id: ID!) {
    run(id: $id) {
      id
      inputPayload {
        text
      }
    }
  }
`);

export const wholePayloadsDocument = graphql(`
  query WholeRunPayloads($id: ID!) {
    run(id: $id) {
      id
      inputPayload {
        text
      }
      resultPayload {
        text
      }
    }
  }
`);
