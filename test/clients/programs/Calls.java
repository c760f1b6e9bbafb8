/** Calls the API with the Java client that openapi-generator generates, and prints what it read. */
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.util.Arrays;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.KybApi;
import org.openapitools.client.api.SignInApi;
import org.openapitools.client.model.*;

public class Calls {
  static String of(String name) {
    return System.getenv(name);
  }

  public static void main(String[] arguments) throws Exception {
    ApiClient api = new ApiClient();
    api.updateBaseUri(of("BASE"));
    api.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + of("KEY")));
    KybApi kyb = new KybApi(api);
    CreateKybApplicationRequest body = new CreateKybApplicationRequest().externalId(of("EXTERNAL_ID"));
    UUID created = kyb.createKybApplication(body, null, null).getData().getId();
    kyb.updateKybApplication(created, new UpdateKybApplicationRequest().natureOfBusiness(
        new CreateKybApplicationRequestNatureOfBusiness().legalCompanyName("Example GmbH")));
    UploadKybFileRequestAttribute list = UploadKybFileRequestAttribute.LEGAL_STRUCTURES;
    kyb.uploadKybFile(created, new File(of("FILE")), list, null, null, null);
    KybApplication read = kyb.getKybApplication(created).getData();
    String code = null;
    try {
      kyb.createKybApplication(body, null, null);
    } catch (ApiException refused) {
      code = new ObjectMapper().readTree(refused.getResponseBody()).at("/errors/0/code").asText();
    }
    SignInRequest person = new SignInRequest().email(of("EMAIL")).password(of("PASSWORD"));
    System.out.println(new ObjectMapper().writeValueAsString(Arrays.asList(
        read.getExternalId(),
        read.getNatureOfBusiness().getLegalCompanyName(),
        read.getBusinessFiles().getLegalStructures().get(0).getName(),
        code,
        kyb.getKybApplication(UUID.fromString(of("ABANDONED"))).getData().getStatus().getAbandoned(),
        new SignInApi(api).signIn(person).getData().getUser().getPasswordChangeRequired())));
  }
}
