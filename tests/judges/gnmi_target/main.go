// A gNMI server from the code of openconfig/gnmi: its cache, and its Subscribe of ONCE, POLL and
// STREAM. It has no other call. Each line of standard input is a Notification as JSON for the
// cache, or "cut N": each later stream ends in peace after N messages. "ok" answers each line.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"log"
	"net"
	"os"

	"github.com/openconfig/gnmi/cache"
	pb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/subscribe"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/encoding/protojson"
)

var (
	most   = -1
	errCut = errors.New("cut")
)

// stream counts the messages that may still be sent.
type stream struct {
	grpc.ServerStream
	left int
}

func (s *stream) SendMsg(message interface{}) error {
	if s.left == 0 {
		return errCut
	}
	s.left--
	return s.ServerStream.SendMsg(message)
}

func cut(server interface{}, s grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	err := next(server, &stream{s, most})
	if errors.Is(err, errCut) {
		return nil
	}
	return err
}

func put(c *cache.Cache, line string) error {
	if _, err := fmt.Sscanf(line, "cut %d", &most); err == nil {
		return nil
	}
	notification := &pb.Notification{}
	if err := protojson.Unmarshal([]byte(line), notification); err != nil {
		return err
	}
	return c.GnmiUpdate(notification)
}

// Arguments: certificate and key as PEM files, and the names of the targets.
func main() {
	tls, err := credentials.NewServerTLSFromFile(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	c := cache.New(os.Args[3:])
	service, err := subscribe.NewServer(c)
	if err != nil {
		log.Fatal(err)
	}
	c.SetClient(service.Update)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer(grpc.Creds(tls), grpc.StreamInterceptor(cut))
	pb.RegisterGNMIServer(server, service)
	go server.Serve(listener)
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if err := put(c, lines.Text()); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println("ok")
		}
	}
}
