import { statement, uuid } from '../../../db/index.ts';

/** The fields of an endpoint that a test delivery needs. */
export const findTestEndpoint = statement<{ app: string | null; enabled: boolean }>('findTestEndpoint').reads({
  params: { projectId: uuid, id: uuid },
  text: 'select app, enabled from webhook_endpoint where id = $id and project_id = $projectId',
});
